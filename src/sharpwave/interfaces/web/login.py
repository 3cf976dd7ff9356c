"""The page to sign in at: plain HTML, no script."""

from html import escape

from starlette.responses import HTMLResponse, Response

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in · Sharpwave</title>
<link rel="icon" href="static/icon.svg">
<link rel="stylesheet" href="static/login.css">
</head>
<body>
<main>
<img src="static/icon.svg" alt="" width="40" height="40">
<h1>Sharpwave</h1>
<p>Sign in with a key to see what is remembered.</p>
{problem}
<form method="post" action="login">
<label for="key">Key</label>
<input id="key" name="key" type="password" autocomplete="current-password" required autofocus
 spellcheck="false" placeholder="sw_…">
<button type="submit">Sign in</button>
</form>
<details>
<summary>I have no key</summary>
<p>On the machine that serves this page, the command <code>sharpwave keys create NAME --for
USER</code> makes one. Started for the first time, the server names a file that holds a key, and
prints a link that signs you in once.</p>
</details>
</main>
</body>
</html>
"""


def page(problem: str = "", status: int = 200) -> Response:
    """The page, with what went wrong before."""
    told = f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else ""
    return HTMLResponse(_PAGE.format(problem=told), status)
