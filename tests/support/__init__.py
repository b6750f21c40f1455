"""What the tests share: databases on both engines, the service in this process or as real ones, and people."""
