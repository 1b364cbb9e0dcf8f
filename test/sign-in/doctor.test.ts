import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/command.js';
import { createDatabase } from '../support/server.js';
import { client, useProvider } from './provider.js';

const provider = useProvider();

/** Returns the finding of `ddp doctor` about sign-in. */
async function signInOf(settings: Record<string, string>) {
  const outcome = await runCommand(['doctor', '--json'], {
    DATABASE_URL: await createDatabase(),
    SECRET_KEY: 'a key for tests',
    ...settings,
  });
  const { findings } = JSON.parse(outcome.stdout) as { findings: { check: string }[] };
  return findings.find(({ check }) => check === 'sign-in');
}

describe('ddp doctor of the providers of sign-ins', () => {
  const right = () => ({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret,
    OIDC_NAME: 'Ours',
  });

  it('accepts a provider that answers and knows the client, also with a slash at the end of its issuer', async () => {
    const content = { check: 'sign-in', state: 'ok', says: 'the providers answer, and fit the settings', details: [] };
    expect(await signInOf({ ...right(), OIDC_ISSUER: `${provider.issuer}/` })).toEqual(content);
  });

  it('says what is wrong with each of the other providers, without showing a secret', async () => {
    const { issuer } = provider;
    const metadata = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
    provider.intercept.set('/realms/x/.well-known/openid-configuration', JSON.stringify(metadata));
    const found = await signInOf({
      ...right(),
      OIDC_CLIENT_SECRET: 'not the secret',
      OIDC_2_ISSUER: `${issuer}/realms/x`,
      OIDC_2_CLIENT_ID: client.id,
      OIDC_2_NAME: 'Another realm',
      OIDC_3_ISSUER: 'http://127.0.0.1:4999',
      OIDC_3_CLIENT_ID: client.id,
      OIDC_3_NAME: 'Away',
    });
    expect(found).toEqual({
      check: 'sign-in',
      state: 'wrong',
      says: 'Nobody can sign in by 3 of 3 providers.',
      details: [
        expect.stringMatching(/^Ours: client: .*invalid_client/),
        `Another realm: settings: OIDC_2_ISSUER is ${issuer}/realms/x, but the provider calls itself ${issuer}: set it to that`,
        expect.stringMatching(/^Away: unreachable: .*ECONNREFUSED/),
      ],
    });
    expect(JSON.stringify(found)).not.toContain('not the secret');
  });
});
