"""Conversations with the memory: who may read a project reads them, and their author goes on with them.

Owns: chats, chat_messages, chat_favorites. Tells: ``chats`` notices.
"""
