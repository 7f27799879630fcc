"""What is given back: feedback pages, the class report, exports."""
