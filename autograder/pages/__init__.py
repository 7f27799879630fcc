"""Pages that people open: student text, outputs and names made inert (without active content), and content policies."""
