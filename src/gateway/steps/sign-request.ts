/**
 * Step 10, last act before sending: signs the exact bytes, headers and URL that are sent. The
 * signature is a credential of this call; it is redacted from its answer.
 */
import { Secret } from '../../core/secrets/secret.ts';
import type { Target } from '../config/config.ts';
import type { OutboundRequest } from '../request/request.ts';
import { renderTemplate, type Template } from '../request/template.ts';
import { signAwsSigV4 } from '../signing/aws-sigv4.ts';
import { signHmac } from '../signing/hmac.ts';
import type { CallContext } from '../upstream/call-context.ts';

export function signRequest(
  unsigned: OutboundRequest,
  target: Target | undefined,
  secrets: ReadonlyMap<string, Secret>,
  { wallNowMs, callSecrets }: CallContext,
): OutboundRequest {
  const sign = target?.inject.sign;
  if (!sign) return unsigned;
  const render = (template: Template) => renderTemplate(template, secrets);
  const { request, signature } =
    sign.kind === 'hmac'
      ? signHmac(unsigned, sign, render(sign.key), wallNowMs())
      : signAwsSigV4(
          unsigned,
          {
            accessKeyId: render(sign.accessKeyId),
            secretAccessKey: render(sign.secretAccessKey),
            sessionToken: sign.sessionToken && render(sign.sessionToken),
            region: sign.region,
            service: sign.service,
          },
          wallNowMs(),
        );
  callSecrets.add(new Secret('signature', signature));
  return request;
}
