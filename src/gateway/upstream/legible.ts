/**
 * Refuses answers that the redactor could not read, whatever secrets it knows.
 *
 * Stops: a part of a body that ends in the middle of a secret. The model cannot ask for one by a
 * header, so an upstream that sends one was asked in a way that we do not know. Parts in other
 * units than bytes (the pages of PostgREST and Heroku) hold whole items, and pass.
 */
import { Refusal } from '../refusal.ts';
import { headerOf, type UpstreamResponse } from './exchange.ts';

export function refuseIllegible(response: UpstreamResponse): void {
  const range = headerOf(response, 'content-range') ?? '';
  const type = headerOf(response, 'content-type') ?? '';
  if (SOME_BYTES.test(range) || PARTS_OF_BYTES.test(type)) {
    throw new Refusal(
      'upstream_error',
      'the upstream sent a part of its answer, which is withheld',
    );
  }
}

// Not a range of `*`, which stands in a refusal to send a part: RFC 9110, section 14.4.
const SOME_BYTES = /(?:^|,)\s*bytes\b(?!\s*\*)/i;
const PARTS_OF_BYTES = /multipart\/byteranges/i;
