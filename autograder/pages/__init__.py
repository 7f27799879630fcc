"""What people open: student text, outputs and names made inert, and the policies of the pages that show them."""
