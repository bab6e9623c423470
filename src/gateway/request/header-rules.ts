/**
 * Which headers the model may set.
 *
 * The attacks: replacing a credential or the destination (`Authorization`, `Host`), smuggling a
 * second request (`Transfer-Encoding`, a line break in a value, or U+010A, whose low byte is
 * one), posing as another client (`X-Forwarded-For`), evading the redactor (`Accept-Encoding`,
 * `Range`, `Accept: text/plain;charset=utf-32`), and evading the allow-list of methods and paths
 * (`X-HTTP-Method-Override`, `X-Original-URL`), setting the upstream's own proxy (`Proxy`: httpoxy,
 * CVE-2016-5385), and posing as a person whom a proxy before the upstream has signed in
 * (`Remote-User`, `X-Auth-Request-User`). Names are compared in lower case with every sign as a
 * hyphen: CGI, PHP, WSGI and Rack turn hyphens into underscores, and some servers (lighttpd) every
 * other sign as well.
 */
import { memoize } from '../../core/memoize.ts';

interface HeaderRefusal {
  readonly refusal: 'reserved_header' | 'invalid_header';
  readonly message: string;
}

/**
 * Judges headers in their order, and of each the name before the value: the first offence is
 * reported. `injectedNames` are what the matched target injects, in any case.
 */
export function checkHeaders(
  headers: Readonly<Record<string, string>>,
  injectedNames: Iterable<string>,
): HeaderRefusal | undefined {
  const entries = Object.entries(headers);
  if (entries.length === 0) return undefined;
  const injected = new Set([...injectedNames].map((name) => folded(name)));
  const seen = new Set<string>();
  for (const [name, value] of entries) {
    if (!TOKEN.test(name)) {
      return invalid(
        `${JSON.stringify(name.slice(0, 64))} is not a header name; use letters, digits and hyphens`,
      );
    }
    const known = folded(name);
    if (isReserved(known) || injected.has(known)) {
      const message = `the header ${name} is set by the gateway alone; leave it out`;
      return { refusal: 'reserved_header', message };
    }
    if (seen.has(known)) {
      return invalid(
        `the header ${name} is given twice; neither case nor signs distinguish headers`,
      );
    }
    seen.add(known);
    if (!VALUE.test(value)) {
      return invalid(
        `the value of the header ${name} contains a line break, a control character or a character above U+00FF`,
      );
    }
    if (known === 'accept' && asksForAnotherCharset(value)) {
      return invalid(`the header ${name} asks for a charset other than UTF-8; leave it out`);
    }
  }
  return undefined;
}

function invalid(message: string): HeaderRefusal {
  return { refusal: 'invalid_header', message };
}

const folded = memoize((name) => name.toLowerCase().replace(/[^a-z0-9]/g, '-'));

const isReserved = memoize((name) => {
  if (RESERVED.has(name)) return true;
  if (RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix))) return true;
  if (name.endsWith('-client-ip')) return true;
  return name.endsWith('-range') && name !== PART_OF_AN_UPLOAD;
});

/** Whatever of a charset is not plainly UTF-8 counts as another one. */
function asksForAnotherCharset(accept: string): boolean {
  return /charset/i.test(accept) && /charset/i.test(accept.replace(UTF_8, ''));
}

const UTF_8 = /; *charset *= *(?:utf-?8|"utf-?8")(?= *(?:[;,]|$))/gi;

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** One byte for each character, none of them a control character. */
const VALUE = /^[\x20-\x7e\xa0-\xff]*$/;

const RESERVED_PREFIXES = [
  ...['x-forwarded-', 'proxy-', 'x-original-'],
  // By which an authenticating proxy names the signed-in person to the server behind it: Apache and
  // Authelia, Kubernetes, oauth2-proxy, authentik, Grafana, Google, Azure, Amazon, Cloudflare,
  // Tailscale, Pomerium, Kong, TLS client certificates.
  ...['remote-', 'x-remote-', 'x-auth-request-', 'x-authentik-', 'x-webauth-'],
  ...['x-goog-authenticated-user-', 'x-goog-iap-', 'x-ms-client-principal', 'x-amzn-oidc-'],
  ...['cf-access-', 'tailscale-', 'x-pomerium-', 'x-authenticated-', 'x-consumer-'],
  ...['ssl-client-', 'x-ssl-client-', 'x-client-cert'],
];

/**
 * Servers take a range from many names: Apache from `Request-Range`, Azure from `x-ms-range`.
 * This one alone says what the request's own body is (RFC 9110, section 14.5), and asks for no
 * part of the answer.
 */
const PART_OF_AN_UPLOAD = 'content-range';

const RESERVED: ReadonlySet<string> = new Set([
  // Credentials and destination.
  ...['authorization', 'cookie', 'host'],
  // Framing and connection.
  ...['content-length', 'connection', 'transfer-encoding', 'upgrade', 'te', 'trailer'],
  ...['expect', 'keep-alive'],
  // The caller, and the proxies on the way.
  ...['x-real-ip', 'client-ip', 'cf-connecting-ip', 'forwarded', 'via', 'proxy'],
  // Forms of an answer that the redactor could not read.
  ...['accept-encoding', 'accept-charset', 'range'],
  // Another method or path than the one that was checked.
  ...['x-http-method-override', 'x-http-method', 'x-method-override'],
  ...['x-rewrite-url', 'x-host', 'x-http-host-override'],
]);
