"""The team: its members, their roles, and invitations by mail.

Owns: team_members (change and removal), invitations. Tells: ``team`` notices; ends access at once.
"""
