import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { changeToken, newKey, secretOf, signed } from './forge.js';

/* npm run provider: a provider of OpenID Connect to try sign-in with. It lets everybody in, under any name and
   password, and listens on loopback alone. Some names make it answer what the service has to refuse. */

const port = Number(process.argv[2] ?? 4400);
const issuer = `http://127.0.0.1:${port}`;
const key = newKey(1);

type Claims = Record<string, unknown>;

/** Changes of the ID token, by the name that a person signs in under. */
const faults: Readonly<Record<string, (claims: Claims) => Claims>> = {
  'wrong-nonce': (claims) => ({ ...claims, nonce: 'another' }),
  'wrong-audience': (claims) => ({ ...claims, aud: 'another-client' }),
  'wrong-issuer': (claims) => ({ ...claims, iss: 'https://another.example' }),
  expired: (claims) => ({ ...claims, exp: Number(claims['iat']) - 3600 }),
};

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'ddp',
      client_secret: 'only to try it',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/auth/callback', 'http://localhost/auth/callback'],
    },
  ],
  jwks: { keys: [secretOf(key)] },
  claims: { email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
  cookies: { keys: ['only to try it'] },
  findAccount: (_ctx: unknown, sub: string) => ({
    accountId: sub,
    claims: () => ({
      sub,
      name: sub,
      preferred_username: sub,
      email: `${sub}@example.com`,
      email_verified: sub !== 'unverified',
    }),
  }),
});

const handle = provider.callback();
createServer((request, response) => {
  if (request.url === '/token')
    changeToken(response, (claims) => signed((faults[String(claims['sub'])] ?? ((same) => same))(claims), key));
  handle(request, response);
}).listen(port, '127.0.0.1', () =>
  process.stdout.write(`A provider to try sign-in with: ${issuer}

export OIDC_ISSUER=${issuer} OIDC_CLIENT_ID=ddp OIDC_CLIENT_SECRET='only to try it' OIDC_NAME='the provider to try'

These names make it answer what the service refuses: ${[...Object.keys(faults), 'unverified'].join(', ')}
`),
);
