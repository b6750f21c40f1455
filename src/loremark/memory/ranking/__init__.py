"""The one ranking: search, Ask and the context of a file all order items by it. Plain values in and out."""
