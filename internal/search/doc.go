// Package search indexes the tools it is given and ranks them for a request in
// words. It owns text analysis, the inverted index, the score and the account
// of how a score came about. It knows nothing of policy, of where tools come
// from, of who asks, or of how hits are shown: whoever joins an index decides
// which tools are in it.
//
// A Segment is the immutable index of one owner's tools. An Index is an
// immutable union of segments, so that a change of one owner re-indexes that
// owner alone. The score of a tool depends on the tools of the whole index and
// never on how they are divided into segments.
//
// # The score
//
// Each word t of the request adds BM25F (Robertson and Zaragoza, "The
// Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6):
//
//	tf  = Σ over fields f: weight(f) × count(t, f) / (1 − b(f) + b(f) × length(f) / average length(f))
//	add = idf(t) × tf / (k1 + tf),  idf(t) = ln(1 + (N − n(t) + ½) / (n(t) + ½))
//
// where N is the number of tools, n(t) how many of them have t, and the average
// is over the tools that have the field. A word of the request that no tool has
// stands for the words that begin with it or differ by a letter or two; a tool
// that is found by such words alone stays below all others. To that come
// a bonus for names that the request covers, one for tools that answer one part
// of a request with several parts, and one that lifts exact ids and names above
// everything else. Explain shows every term of the sum.
package search
