"""Email by SMTP, or as .eml files in the data directory."""
