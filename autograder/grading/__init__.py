"""A class graded and recorded: processes, ledger, stored results, nbgrader's gradebook."""
