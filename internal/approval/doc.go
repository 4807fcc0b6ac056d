// Package approval owns the questions that wait for a person: who may answer,
// which answer counts, what becomes of a question that nobody answers, and the
// grants that an answer "always" leaves behind.
//
// It doesn't know which calls want approval, how a question reaches a person, or
// where grants and questions are kept: a Store is given to it.
package approval
