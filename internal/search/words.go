package search

import (
	"bytes"
	"strings"

	"github.com/kljensen/snowball/english"
)

// stopWords are English words that say nothing about what a tool does. They
// are neither indexed nor looked up.
const stopWords = ` a about above after again all also am an and any are as at be because been before being below
 between both but by can cannot could did do does doing down during each either else etc ever few for from further
 had has have having he hello her here hers herself hey hi him himself his how however i if in into is it its itself
 just let lot many may maybe me might more most much must my myself neither no nor not now of off on once only or
 other our ours ourselves out over own per perhaps please rather really same shall she should since so some such
 than thank thanks that the their theirs them themselves then there these they this those though through thus to
 too under until up upon us very via was we were what whatever when where whether which while who whom whose why
 will with within without would yes yet you your yours yourself `

// requestWords are the polite wrapping of a request. They are dropped from
// requests that say something else too.
const requestWords = ` able actually additionally anyone anything assist going gonna got help hoping id im ive kindly
 know like looking need needed needs someone something tell trying want wanted wants
 wish wondering `

type wordSet map[string]struct{}

func newWordSet(list string) wordSet {
	set := wordSet{}
	for w := range strings.FieldsSeq(list) {
		set[w] = struct{}{}
	}
	return set
}

func (s wordSet) has(word []byte) bool {
	_, ok := s[string(word)]
	return ok
}

var (
	stops    = newWordSet(stopWords)
	requests = newWordSet(requestWords)
)

// irregular maps forms that no rule of endings reaches to their plain form.
var irregular = map[string]string{
	"people": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot", "mice": "mouse",
	"indices": "index", "indexes": "index", "matrices": "matrix", "vertices": "vertex", "analyses": "analysis",
	"criteria": "criterion", "lives": "life", "leaves": "leaf", "knives": "knife", "halves": "half",
	"sent": "send", "bought": "buy", "sold": "sell", "wrote": "write", "written": "write", "began": "begin",
	"begun": "begin", "built": "build", "chose": "choose", "chosen": "choose", "drew": "draw", "drawn": "draw",
	"gave": "give", "given": "give", "went": "go", "gone": "go", "held": "hold", "kept": "keep", "knew": "know",
	"known": "know", "made": "make", "making": "make", "met": "meet", "paid": "pay", "ran": "run", "said": "say",
	"saw": "see", "seen": "see", "shown": "show", "spoke": "speak", "spoken": "speak", "spent": "spend",
	"stolen": "steal", "taken": "take", "took": "take", "taught": "teach", "told": "tell", "thought": "think",
	"thrown": "throw", "flew": "fly", "flown": "fly", "hidden": "hide", "broken": "break", "broke": "break",
	"brought": "bring", "caught": "catch", "forgot": "forget", "forgotten": "forget", "hid": "hide",
	"lost": "lose", "rode": "ride", "ridden": "ride", "won": "win", "slept": "sleep", "ate": "eat", "eaten": "eat",
	"driven": "drive", "drove": "drive", "grew": "grow", "grown": "grow", "heard": "hear", "sung": "sing", "sang": "sing",
}

// stem returns the form under which all inflections of a folded word are
// indexed. British spellings get the American form, English words their Porter2
// stem; words of other alphabets stay as they are.
func stem(word string) string {
	if len(word) < 3 || !plainWord(word) {
		return word
	}
	if base, ok := irregular[word]; ok {
		word = base
	}
	return english.Stem(american(word), true)
}

func plainWord(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// american spells -ise, -yse and -our as -ize, -yze and -or. Words that are not
// meant, such as "promise", change on both sides alike.
func american(word string) string {
	if len(word) < 6 {
		return word
	}
	for _, end := range [...]string{"e", "es", "ed", "ing", "er", "ers", "ation", "ations"} {
		head, ok := strings.CutSuffix(word, end)
		if ok && (strings.HasSuffix(head, "is") || strings.HasSuffix(head, "ys")) && len(head) >= 5 {
			return head[:len(head)-1] + "z" + end
		}
	}
	for _, end := range [...]string{"", "s", "ed", "ing", "ite", "ites"} {
		head, ok := strings.CutSuffix(word, end)
		if ok && strings.HasSuffix(head, "our") && len(head) >= 5 {
			return head[:len(head)-2] + "r" + end
		}
	}
	return word
}

// phrasal are words that are also written as two. Both parts of most of them
// are too common to be found by themselves.
var phrasal = newWordSet(` backup breakdown checkin checkout cleanup countdown cutoff dropdown followup handoff layoff
 login logoff logon logout lookup markup meetup payoff payout pickup playoff popup printout rollback rollout rollup setup
 shutdown signin signoff signon signout signup standup startup teardown timeout touchdown workout writeup `)

var particles = newWordSet(" in out up on off down over back ")

// verbOf returns the plain form of the verb of a phrasal verb: log of logs, logged and logging.
func verbOf(word []byte) []byte {
	for _, end := range [...]string{"ing", "ed", "s"} {
		if head, ok := bytes.CutSuffix(word, []byte(end)); ok && len(head) >= 3 {
			if n := len(head); head[n-1] == head[n-2] {
				return head[:n-1]
			}
			return head
		}
	}
	return word
}

// todoNouns follow "to do" where it is a noun: a to do list.
var todoNouns = newWordSet(" list lists item items task tasks app note notes entry entries ")

// pair joins tokens i-1 and i if they make one word of phrasal, are a letter
// and a word of one identifier such as the e of e-mail, or are "to do" as a noun.
func (s *scanner) pair(i int) (string, bool) {
	if i == 0 {
		return "", false
	}
	a, b := s.tokens[i-1], s.tokens[i]
	const apart = markGram | markWhole | markPiece
	if b.has(markGap|apart) || a.has(apart) {
		return "", false
	}
	first, second := s.text(a), s.text(b)
	if len(second) > 4 && !b.has(markGlued) {
		return "", false
	}
	if particles.has(second) {
		s.joined = append(append(s.joined[:0], verbOf(first)...), second...)
		if !phrasal.has(s.joined) {
			return "", false
		}
		return string(s.joined), true
	}
	if string(first) == "to" && (string(second) == "do" || string(second) == "dos") {
		return "to" + string(second), b.has(markGlued) || len(s.tokens) <= 3 && i+1 == len(s.tokens) ||
			i+1 < len(s.tokens) && todoNouns.has(s.text(s.tokens[i+1]))
	}
	if b.has(markGlued) && len(first) == 1 && first[0] >= 'a' && len(second) > 2 {
		return string(first) + string(second), true
	}
	return "", false
}
