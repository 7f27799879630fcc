"""The instructor's side: build, intake, sandbox, judge, gradebook, feedback."""

import sys

# jsonschema, which every import of nbformat brings, compiles 38 grammars for checking IRIs: 1.3 CPU seconds in each
# process. It leaves this one format out when the package is missing, and no notebook has a field of that format.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
