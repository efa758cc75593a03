// A real authorization server (oidc-provider) on a free port, for the tests of internal/access/auth. It prints its
// issuer, issues JWT access tokens for any resource, and reads commands from stdin:
//
//   sign ALG    signs with a new key from now on, publishes only that key, and prints its id
//
// It exits when stdin is closed. The client "robot" has client credentials; so has "hasty", whose tokens are valid for
// one second; "app" logs people in with PKCE.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

const scopes = ['notes:read', 'notes:write'];
const server = createServer((request, response) => handle(request, response));
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const issuer = `http://127.0.0.1:${server.address().port}`;
let handle;
let keys = 0;

const robot = (client_id) => ({
  client_id, client_secret: 'of no importance', grant_types: ['client_credentials'], redirect_uris: [], response_types: [],
});

// people can log in. The e-mail address of the second is not verified.
const people = {
  ada: { email: 'Ada@example.com', email_verified: true },
  mallory: { email: 'ada@example.com', email_verified: false },
};

async function sign(alg) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: `key-${++keys}`, alg, use: 'sig' };
  const provider = new Provider(issuer, {
    jwks: { keys: [key] },
    cookies: { keys: ['of no importance'] },
    clients: [
      robot('robot'),
      robot('hasty'),
      { client_id: 'app', application_type: 'native', token_endpoint_auth_method: 'none', redirect_uris: ['http://127.0.0.1/back'], id_token_signed_response_alg: alg },
    ].map((client) => ({ id_token_signed_response_alg: alg, ...client })),
    enabledJWA: { idTokenSigningAlgValues: [alg] },
    clientDefaults: { id_token_signed_response_alg: alg },
    scopes: ['openid', ...scopes],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: (_, token) => people[token.accountId],
    ttl: { ClientCredentials: (_, token, client) => (client.clientId === 'hasty' ? 1 : 600), AccessToken: 600, Grant: 600, Interaction: 600, Session: 600, IdToken: 600 },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          audience: resource, scope: scopes.join(' '), accessTokenFormat: 'jwt', jwt: { sign: { alg } },
        }),
      },
    },
  });
  handle = provider.callback();
  return key.kid;
}

await sign('RS256');
console.log(issuer);
for await (const line of createInterface({ input: process.stdin })) {
  console.log(await sign(line.replace('sign ', '')));
}
process.exit();
