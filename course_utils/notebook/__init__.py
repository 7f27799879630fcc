"""What every notebook calls: its first and last cells, the forecast of its costs, the report on this machine."""
