"""Floor 6: what the service does, one folder an endpoint group, the same file names in each.

``routes`` declare and translate, ``service`` holds access, states and rules, ``store`` holds the SQL. A
feature uses only features that stand before it in the order kept by the import contracts.
"""
