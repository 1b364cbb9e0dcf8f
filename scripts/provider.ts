import { Provider } from 'oidc-provider';

/* npm run provider: a provider of OpenID Connect to try sign-in with. It lets everybody in, under any name and
   password, and listens on loopback alone. */

const port = Number(process.argv[2] ?? 4400);
const issuer = `http://127.0.0.1:${port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'ddp',
      client_secret: 'only to try it',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/auth/callback', 'http://localhost/auth/callback'],
    },
  ],
  claims: { email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
  cookies: { keys: ['only to try it'] },
  findAccount: (_ctx: unknown, sub: string) => ({
    accountId: sub,
    claims: () => ({ sub, name: sub, preferred_username: sub, email: `${sub}@example.com`, email_verified: true }),
  }),
});

provider.listen(port, '127.0.0.1', () =>
  process.stdout.write(`A provider to try sign-in with: ${issuer}

export OIDC_ISSUER=${issuer} OIDC_CLIENT_ID=ddp OIDC_CLIENT_SECRET='only to try it' OIDC_NAME='the provider to try'
`),
);
