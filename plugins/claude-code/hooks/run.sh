#!/bin/sh
# Hands an event of Claude Code to Sharpwave. Without Sharpwave it says so once a session, and
# otherwise keeps quiet: a hook must never be in the way.
if command -v sharpwave >/dev/null 2>&1; then
	exec sharpwave hook "$1"
fi
cat >/dev/null
if [ "$1" = SessionStart ]; then
	echo '{"systemMessage": "Sharpwave is not on your search path, so nothing is remembered. Install it: pip install \"sharpwave[mcp]\""}'
fi
