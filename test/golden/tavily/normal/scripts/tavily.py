#!/usr/bin/env python3
"""Calls the tools of this skill's MCP server; takes the options of mcp_async_call.py."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcp_async_call import main

sys.exit(main(sys.argv[1:]))
