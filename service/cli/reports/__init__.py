"""What commands print about hands and dossiers."""
