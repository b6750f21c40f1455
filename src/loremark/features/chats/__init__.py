"""Chat sessions. Everyone with read access to the project can read them; only the author can continue them.

Owns: chats, chat_messages, chat_favorites. Sends: ``chats`` notices.
"""
