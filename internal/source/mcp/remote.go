package mcp

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// remoteReason explains why a remote server can't be used.
func remoteReason(s *Server, w *web, err error) diagnosis {
	r := w.lastRefusal()
	at := "mcp.servers." + s.Name
	switch {
	case r.moved != "":
		return diagnosis{fault: FaultMoved, what: "it redirects to " + r.moved, hint: fmt.Sprintf("set %s.url to that address, if you trust it", at)}
	case r.odd != "":
		return diagnosis{
			fault: FaultProtocol, what: fmt.Sprintf("%s answers with content of type %s, which is not MCP", w.origin.Host, r.odd),
			hint: fmt.Sprintf("check %s.url", at),
		}
	case r.status == 0:
		return networkReason(s, w.origin.Host, err)
	case isLogin(r.status):
		return loginReason(s, r)
	}
	return statusReason(at, r)
}

// statusOf is an HTTP status for people.
func statusOf(status int) string { return fmt.Sprintf("HTTP %d (%s)", status, http.StatusText(status)) }

// statusReason explains a status that isn't about a login.
func statusReason(at string, r refusal) diagnosis {
	d := diagnosis{fault: FaultStatus, what: statusOf(r.status)}
	switch r.status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		d.what, d.hint = d.what+": there is no MCP server at this path", fmt.Sprintf("check %s.url", at)
	case http.StatusTooManyRequests:
		d.what += ": it is asked too often"
	default:
		if r.said != "" {
			d.what += ": " + r.said
		}
	}
	return d
}

// loginReason explains a server that wants to know who asks.
func loginReason(s *Server, r refusal) diagnosis {
	key := fmt.Sprintf("mcp.servers.%s.headers.Authorization", s.Name)
	ask := readChallenges(r.challenges)
	d := diagnosis{fault: FaultLogin, what: statusOf(r.status), login: ask.metadata}
	if r.status == http.StatusForbidden && len(r.challenges) == 0 {
		d.fault = FaultStatus // it may be about anything
	}
	switch has := hasHeader(s.Headers, "Authorization"); {
	case ask.scope != "" && has:
		d.what, d.hint = fmt.Sprintf("%s: the token lacks the scope %q", d.what, ask.scope), "put one that has it into "+key
	case r.status == http.StatusForbidden && (has || len(r.challenges) == 0):
		d.what, d.hint = d.what+": the token may not use it", "check "+key
	case has:
		d.what, d.hint = d.what+": the token is not accepted", "it may have expired: correct "+key
	default:
		d.what, d.hint = d.what+": it needs a login or token", fmt.Sprintf("set %s, such as %q", key, cmp.Or(ask.scheme, "Bearer")+" TOKEN")
	}
	return d
}

// hasHeader reports whether a header is configured.
func hasHeader(headers map[string]string, name string) bool {
	for k, v := range headers {
		if strings.EqualFold(k, name) && v != "" {
			return true
		}
	}
	return false
}

// challenge is what a server says of the login that it wants.
type challenge struct {
	scheme   string // such as "Bearer"
	metadata string // the address of its resource metadata
	scope    string // what the token lacks
}

// readChallenges reads the values of WWW-Authenticate, foreign as they are. The
// first that names resource metadata counts, else the first.
func readChallenges(values []string) (out challenge) {
	for _, v := range values {
		all, err := oauthex.ParseWWWAuthenticate([]string{v})
		if err != nil {
			continue
		}
		for _, c := range all {
			one := challenge{scheme: schemeName(c.Scheme), metadata: publicAddress(c.Params["resource_metadata"])}
			if c.Params["error"] == "insufficient_scope" {
				one.scope = clip(printable(c.Params["scope"]), 200)
			}
			if out.scheme == "" || out.metadata == "" && one.metadata != "" {
				out = one
			}
		}
	}
	return out
}

// schemeName is the usual spelling of a well-known scheme, "" for others.
func schemeName(scheme string) string {
	switch name := textproto.CanonicalMIMEHeaderKey(scheme); name {
	case "Bearer", "Basic":
		return name
	}
	return ""
}

// publicAddress is an address of the web without what may be secret in it; "" for
// what isn't one.
func publicAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || len(text) > 2000 {
		return ""
	}
	return bare(u)
}

// networkReason explains a server that wasn't reached.
func networkReason(s *Server, host string, err error) diagnosis {
	var dns *net.DNSError
	var op *net.OpError
	d := diagnosis{fault: FaultNetwork}
	switch trust := tlsReason(s, host, err); {
	case errors.Is(err, errForeignHost):
		d.fault, d.what = FaultProtocol, errForeignHost.Error()
	case trust.fault != "":
		return trust
	case errors.Is(err, syscall.ECONNREFUSED):
		d.what, d.hint = fmt.Sprintf("connection to %s refused", host), "is the server running?"
	case errors.As(err, &dns):
		d.fault, d.what = FaultDNS, fmt.Sprintf("host %q is not known", dns.Name)
		d.hint = fmt.Sprintf("check mcp.servers.%s.url and the network", s.Name)
	case errors.As(err, &op) && op.Timeout():
		d.what, d.hint = fmt.Sprintf("no connection to %s in time", host), "is the network up?"
	case closedByPeer(err):
		d.what = fmt.Sprintf("%s closed the connection", host)
	case answered(err) != nil:
		d.fault, d.what = FaultProtocol, rpcReason(err)
	default:
		d.what = fmt.Sprintf("%s can't be reached: %v", host, rootCause(err))
	}
	return d
}

// tlsReason explains an encrypted connection that didn't come about; no fault
// when that isn't what went wrong.
func tlsReason(s *Server, host string, err error) diagnosis {
	var unknown x509.UnknownAuthorityError
	var other x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	d := diagnosis{fault: FaultTLS}
	switch {
	case errors.As(err, &other):
		d.what, d.hint = fmt.Sprintf("the certificate of %s is for another name", host), fmt.Sprintf("check mcp.servers.%s.url", s.Name)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		d.what, d.hint = fmt.Sprintf("the certificate of %s has expired or is not valid yet", host), "check the clock; else its operator must renew it"
	case errors.As(err, &unknown):
		d.what = fmt.Sprintf("the certificate of %s is signed by an authority that this machine doesn't know", host)
		d.hint = "name that authority's file in the environment variable SSL_CERT_FILE, if you trust it"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		d.what, d.hint = fmt.Sprintf("%s doesn't speak TLS", host), fmt.Sprintf("is it http:// that mcp.servers.%s.url should begin with?", s.Name)
	case errors.As(err, &invalid), errors.As(err, &alert), errors.As(err, new(*tls.CertificateVerificationError)):
		d.what = fmt.Sprintf("no encrypted connection to %s: %v", host, rootCause(err))
	default:
		return diagnosis{}
	}
	return d
}
