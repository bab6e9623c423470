import { RESOURCE_SCOPES, SERVER_SCOPES } from './scope.ts';

/** The two documents by which a client finds its way: RFC 9728 and RFC 8414. */
export function protectedResourceMetadata(publicUrl: string, product: string): object {
  return {
    resource: `${publicUrl}/mcp`,
    authorization_servers: [publicUrl],
    scopes_supported: RESOURCE_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: product,
  };
}

export function authorizationServerMetadata(publicUrl: string): object {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/authorize`,
    token_endpoint: `${publicUrl}/token`,
    registration_endpoint: `${publicUrl}/register`,
    scopes_supported: SERVER_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}
