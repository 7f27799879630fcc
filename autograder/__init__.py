"""The instructor's side: build, intake, sandbox, judge, gradebook, feedback."""
