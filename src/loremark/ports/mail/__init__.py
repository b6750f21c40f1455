"""Mail: by SMTP, or one .eml file a message in the data folder."""
