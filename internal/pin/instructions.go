package pin

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// pattern is one way in which a text speaks to the model.
type pattern struct {
	match  *regexp.Regexp
	reason string
	really func(found string) bool // nil for always
	// words are those of which one is in every text that fits, in lower case: most
	// texts have none, which is found out faster.
	words []string
}

// patterns are few on purpose: each is of words that a tool's own description has
// next to no reason to say. They are a help for who reviews, and no wall: whoever
// knows them can write around them.
var patterns = []pattern{
	re(`\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|preceding|other|system|your)\b[^.\n]{0,20}\b(?:instructions?|prompts?|rules|guidelines|directions)\b`,
		"it tells the model to drop its instructions", "instruction", "prompt", "rules", "guideline", "direction"),
	re(`\b(?:do not|don'?t|never|must not|without)\b[^.\n]{0,30}\b(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|notify|notifying|disclose|disclosing)\b[^.\n]{0,25}\b(?:users?|human|person|anyone|operator)\b`,
		"it wants something kept from the user", "user", "human", "person", "anyone", "operator"),
	re(`</?\s*(?:important|system|secret|instructions?|admin|assistant|hidden|critical|override|sysprompt)\s*/?>`,
		"it has a tag that marks text as orders", "<"),
	re(`(?:<\|(?:im_start|im_end|system|assistant|user|endoftext)\|>|\[/?INST\]|<<SYS>>|(?m:^\s*#{2,}\s*(?:system|assistant)\b))`,
		"it has marks that part the turns of a conversation", "<", "[", "##"),
	re(`\b(?:before|prior to)\s+(?:using|calling|invoking|running|executing)\s+(?:any|all|every|each|another)\s+(?:of the\s+)?(?:other\s+)?(?:tools?|functions?)\b`,
		"it wants to stand before all other tools", "first", "tool", "function"),
	re(`\b(?:always|must|should)\s+(?:be\s+)?(?:call|use|run|invoke|called|used|run|invoked)\b[^.\n]{0,20}\bfirst\b[^.\n]{0,40}\b(?:any|all|every|other|no matter|regardless)\b`,
		"it wants to stand before all other tools", "first", "tool", "function"),
	re(`\b(?:always|must)\s+(?:call|use|run|invoke)\s+this(?:\s+tool)?\s+first\b`,
		"it wants to stand before all other tools", "first", "tool", "function"),
	re(`\b(?:instead of|rather than|in place of|do not use|don'?t use|never use|stop using)\s+(?:any|all|every|the)\s+(?:of the\s+)?(?:other|built-?in|native)\b[^.\n]{0,20}\b(?:tools?|functions?|servers?)\b`,
		"it wants other tools left alone", "instead", "rather", "in place", "not use", "n't use", "nt use", "never use", "stop using"),
	re(`\b(?:read|open|cat|load|contents? of|fetch|access|send|upload|attach|include)\b[^.\n]{0,50}(?:~/\.ssh|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow)|\.aws/credentials|\.(?:netrc|npmrc|pypirc|git-credentials)\b|\.(?:cursor|claude)/mcp\.json|\.kube/config)`,
		"it asks for a file of secrets", "~/", "id_", "/etc/", "credentials", "rc", "config", "mcp.json"),
	re(`\b(?:send|forward|bcc|post|upload|exfiltrate|pass|put|append)\b[^.\n]{0,40}\b(?:the user'?s|your|all|entire|whole|full|any)\b[^.\n]{0,30}\b(?:api keys?|passwords?|credentials|private keys?|secrets|conversation|chat history|system prompt|environment variables)\b`,
		"it asks for secrets or the conversation to be passed on", "key", "password", "credential", "secret", "conversation", "history", "prompt", "variable"),
	re(`<!--`, "it has an HTML comment, which a rendered text doesn't show", "<!--"),
	{regexp.MustCompile(`[A-Za-z0-9+/]{160,}={0,2}`), "it has a block that looks like base64, which people can't read", unlikePath, nil},
	re(`\x1b\[|\\x1b\[|\\u001b\[`, "it has terminal control sequences", "\x1b", `\u001b`, "x1b"),
}

func re(expr, reason string, words ...string) pattern {
	return pattern{match: regexp.MustCompile(`(?i)` + expr), reason: reason, words: words}
}

// unlikePath reports whether a run of letters has no more slashes than chance gives.
func unlikePath(found string) bool { return strings.Count(found, "/")*16 < len(found) }

// find returns what fits a plain text, which is given in lower case too; "" for nothing.
func (p pattern) find(text, lower string) string {
	if len(p.words) > 0 && !slices.ContainsFunc(p.words, func(w string) bool { return strings.Contains(lower, w) }) {
		return ""
	}
	found := p.match.FindString(text)
	if found == "" || p.really != nil && !p.really(found) {
		return ""
	}
	return found
}

// plain is a text with letters that look like Latin ones as those, so that they are
// read as a model may read them.
func plain(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch like, ok := confusables[unicode.ToLower(r)]; {
		case ok && like != '_':
			return like
		case r == '’' || r == '‘':
			return '\''
		case concealed(r) != "":
			return -1
		}
		return r
	}, norm.NFKC.String(text))
}
