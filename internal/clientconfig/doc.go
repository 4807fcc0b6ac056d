// Package clientconfig knows where programs that speak MCP keep their servers,
// and in which form: Claude Desktop, Claude Code, Cursor, VS Code, Codex,
// Windsurf, Gemini CLI and opencode. It reads their servers in one neutral form,
// puts an entry for toolcrib into a file, and takes it out again so that the
// file is as it was.
//
// All works on bytes: the package opens no file, writes none, and knows nothing
// of toolcrib's own configuration but how it writes a variable: ${NAME},
// ${NAME:-default}, ${env:NAME}, ${file:PATH} and "$${" for a plain "${".
package clientconfig
