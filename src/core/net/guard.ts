/**
 * Decides which addresses a connection may go to, before it is opened.
 *
 * Prevents server-side request forgery (CWE-918) and DNS rebinding, where a name resolves to a harmless
 * address for the check and to another for the connection. A host is resolved once, every answer is
 * checked, one blocked answer refuses the host, and connections use only the checked addresses, of the
 * type `PinnedAddress`. After connecting, `isSamePeer` compares the peer with them.
 */
import {
  type Address,
  type AddressClass,
  type Cidr,
  canonicalHost,
  cidrContains,
  classify,
  hostLiteral,
  isMetadata,
  parseAddress,
} from './address.ts';

/** Resolves to every address of a name; rejects where there is none. */
export type Resolver = (host: string, signal?: AbortSignal) => Promise<readonly string[]>;

declare const pinned: unique symbol;
/** An address that has passed the guard for this request. */
export type PinnedAddress = Address & { readonly [pinned]: true };

/** Why a destination is blocked: its kind of address, or that it is this program or its machine. */
type BlockReason = Exclude<AddressClass, 'public'> | 'own-address' | 'this-machine' | 'unreadable';

type GuardVerdict =
  | { readonly ok: true; readonly pinned: readonly PinnedAddress[] }
  | {
      readonly ok: false;
      readonly kind: 'blocked';
      readonly reason: BlockReason;
      readonly address: string;
    }
  | { readonly ok: false; readonly kind: 'unresolved'; readonly cause: 'not-found' | 'timeout' };

export interface GuardRules {
  readonly resolve: Resolver;
  /** Networks that the operator allows. Metadata addresses stay blocked within them. */
  readonly allowNetworks: readonly Cidr[];
  /** Where this program itself is reached. */
  readonly own: OwnEndpoints;
}

export interface OwnEndpoints {
  /** Host and port of each public URL. A name is blocked as a name: others may share its address. */
  readonly origins: readonly { readonly host: string; readonly port: number }[];
  /** Listen addresses; a missing, wildcard or named host covers every address of this machine. */
  readonly listeners: readonly { readonly host?: string | undefined; readonly port: number }[];
  /** The addresses of this machine's interfaces. */
  readonly localAddresses: readonly string[];
}

/** Ends a lookup. The signal is read only where there is one. */
interface Limit {
  readonly signal?: AbortSignal;
}

export async function guardDestination(
  host: string,
  port: number,
  rules: GuardRules,
  limit: Limit = {},
): Promise<GuardVerdict> {
  const name = canonicalHost(host);
  if (name === undefined) return { ok: false, kind: 'unresolved', cause: 'not-found' };
  if (rules.own.origins.some((own) => own.port === port && canonicalHost(own.host) === name)) {
    return { ok: false, kind: 'blocked', reason: 'own-address', address: name };
  }
  const answers = await addressesOf(name, rules, limit);
  if (typeof answers === 'string') return { ok: false, kind: 'unresolved', cause: answers };

  const checked: PinnedAddress[] = [];
  for (const answer of answers) {
    const address = parseAddress(answer);
    const reason = address ? blockReason(address, port, rules) : 'unreadable';
    if (address === undefined || reason !== undefined) {
      return { ok: false, kind: 'blocked', reason: reason ?? 'unreadable', address: answer };
    }
    checked.push(address as PinnedAddress);
  }
  return { ok: true, pinned: checked };
}

/** Whether a socket is connected to one of the addresses that were checked. */
export function isSamePeer(
  pinned: readonly PinnedAddress[],
  remoteAddress: string | undefined,
): boolean {
  const peer = parseAddress(remoteAddress ?? '');
  return peer !== undefined && pinned.some((address) => address.text === peer.text);
}

/**
 * Checks the host of a base URL when a configuration is loaded, without a lookup: literal addresses in
 * any notation, `localhost` and the names under it. Other names are checked with each request.
 */
export function blockedBaseUrlHost(
  host: string,
  allowNetworks: readonly Cidr[],
): BlockReason | undefined {
  const name = canonicalHost(host);
  if (name === undefined) return 'unreadable';
  if (isLocalhost(name)) return openLoopbacks(allowNetworks).length > 0 ? undefined : 'loopback';
  const literal = hostLiteral(name);
  return literal && networkReason(literal, allowNetworks);
}

/** The addresses of a canonical host, at least one, or why there are none. */
async function addressesOf(
  name: string,
  { resolve, allowNetworks }: GuardRules,
  limit: Limit,
): Promise<readonly string[] | 'not-found' | 'timeout'> {
  const literal = parseAddress(name.startsWith('[') ? name.slice(1, -1) : name);
  if (literal !== undefined) return [literal.text];
  if (isLocalhost(name)) {
    const open = openLoopbacks(allowNetworks);
    return open.length > 0 ? open : LOOPBACKS;
  }
  const { signal } = limit;
  try {
    const answers = await untilAborted(resolve(name, signal), signal);
    return answers.length > 0 ? answers : 'not-found';
  } catch {
    return signal?.aborted ? 'timeout' : 'not-found';
  }
}

/** Settles with the work, or rejects at the abort: a system lookup itself cannot be cancelled. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function blockReason(
  address: Address,
  port: number,
  { allowNetworks, own }: GuardRules,
): BlockReason | undefined {
  const reason = networkReason(address, allowNetworks);
  if (reason !== undefined) return reason;
  if (isOwn(address, port, own)) return 'own-address';
  return isLocal(address, own) && !isOpened(address, allowNetworks) ? 'this-machine' : undefined;
}

function networkReason(address: Address, allowNetworks: readonly Cidr[]): BlockReason | undefined {
  const name = classify(address);
  return name === 'public' || isOpened(address, allowNetworks) ? undefined : name;
}

function isOpened(address: Address, allowNetworks: readonly Cidr[]): boolean {
  return !isMetadata(address) && allowNetworks.some((cidr) => cidrContains(cidr, address));
}

/**
 * Whether an interface of this machine has the address, even a public one: a connection to it stays on
 * the machine and passes the firewall that hides services from others.
 */
function isLocal(address: Address, own: OwnEndpoints): boolean {
  return own.localAddresses.some((text) => parseAddress(text)?.text === address.text);
}

/** Loopback on a port of ours is always ours, whatever host the listener is bound to. */
function isOwn(address: Address, port: number, own: OwnEndpoints): boolean {
  const isBound = (host = '::'): boolean => {
    const name = classify(address);
    if (name === 'loopback' || name === 'unspecified') return true;
    const bound = hostLiteral(host);
    const isWildcard = bound === undefined || classify(bound) === 'unspecified';
    return isWildcard ? isLocal(address, own) : bound.text === address.text;
  };
  return (
    own.listeners.some((listener) => listener.port === port && isBound(listener.host)) ||
    own.origins.some((o) => o.port === port && hostLiteral(o.host)?.text === address.text)
  );
}

/** RFC 6761, section 6.3: these names always mean the loopback addresses, without a lookup. */
function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

const LOOPBACKS: readonly string[] = ['127.0.0.1', '::1'];

/** Of the two addresses of `localhost`, those that the operator opened. */
function openLoopbacks(allowNetworks: readonly Cidr[]): readonly string[] {
  return LOOPBACKS.filter((text) => {
    const address = parseAddress(text);
    return address !== undefined && networkReason(address, allowNetworks) === undefined;
  });
}
