// Package web serves the tool core:web:web_fetch: one page of the web as text.
//
// It owns what may be reached, how a page is fetched within bounds, and what is
// shown of it. It knows neither policy nor configuration: its Settings are asked
// for at each call.
//
// # What can be reached
//
// http and https at public addresses, and nothing else. A name is resolved once
// and the address that came of it is judged and dialled; the socket's own address
// is judged again just before it connects. A name that leads somewhere else the
// next time gains nothing by that. Every redirect starts over. Addresses that
// carry another one inside (IPv4 in IPv6 in all its forms) are judged by both.
//
// Behind a proxy, which only the operator can name, the proxy resolves names.
// Addresses, and names that lead to private ones from here, are still refused;
// the rest is the proxy's to refuse.
//
// # What is shown
//
// What a page says was written by anybody. It is marked as such, and loses what a
// reader of the page would not see: scripts, styles, elements that say of
// themselves that they are hidden, control, zero-width and bidirectional
// characters. What a style sheet hides can't be known, and is shown.
package web
