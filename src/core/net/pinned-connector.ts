/**
 * Connects only to the addresses that the guard has checked, under the name of the host. They replace
 * the lookup, and the peer of the socket is compared with them, which prevents DNS rebinding.
 */
import type { LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { isSamePeer, type PinnedAddress } from './guard.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** `ca` is the certificate authority of tests. */
export async function pinnedConnector(
  pinned: readonly PinnedAddress[],
  ca?: string,
): Promise<buildConnector.connector> {
  const { default: buildConnector } = await import('undici/lib/core/connect.js');
  const addresses = pinned.map(({ text, family }) => ({ address: text, family }));
  const lookup: LookupFunction = (_host, { all }, callback) => {
    if (all) callback(null, addresses);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
  const connect = buildConnector({
    lookup,
    autoSelectFamily: true,
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    ...(ca === undefined ? {} : { ca }),
  });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (isSamePeer(pinned, socket.remoteAddress)) return callback(null, socket);
      socket.destroy();
      return callback(new Error('the connection went to an address that was not checked'), null);
    });
}
