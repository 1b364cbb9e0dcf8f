import { expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { createSignInLink } from '#operator/sign-in-link.js';
import { client, useProvider } from '../sign-in/provider.js';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';

describeInBrowser('people in the console', () => {
  const provider = useProvider();
  const world = useWorld({
    config: {
      get oidc() {
        const settings = { clientId: client.id, clientSecret: client.secret, domains: [] };
        return [{ ...settings, number: 1, issuer: provider.issuer, name: 'Test' }];
      },
    },
  });
  const browser = useBrowser();

  it('signs in by a link, invites, accepts in another browser, and ends a session', async () => {
    const organization = await world.organization();
    const owner = await world.member(organization, Role.owner);
    const { token } = await createSignInLink(world.pool, owner.id, new Date());
    const { page, faults } = await browser.open(`${world.url}/auth/link?token=${token}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('"Authorization: Bearer $TOKEN"').first().waitFor();
    expect(await page.evaluate(() => [sessionStorage.length, localStorage.length, document.cookie])).toEqual([
      0,
      0,
      '',
    ]);

    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await page.getByLabel('The link of the invitation').innerText();
    expect(await violationsOf(page)).toEqual([]);

    provider.person = { sub: 'ada', name: 'Ada', preferred_username: 'ada-of-the-console' };
    const guest = await browser.open(link.trim());
    await guest.page.getByRole('link', { name: 'Sign in with Test' }).click();
    await guest.page.getByText('You accept it as Ada').waitFor();
    await guest.page.getByRole('button', { name: 'Accept' }).click();
    await guest.page.locator('summary', { hasText: 'Account:' }).click();
    await guest.page.getByRole('link', { name: 'Ada' }).click();
    await guest.page.getByText('(this one)').waitFor();
    await guest.page.getByText('now', { exact: true }).waitFor();
    expect(await violationsOf(guest.page)).toEqual([]);

    // The page asks for open alerts every ten seconds, and must not notice the end before the click.
    await guest.page.route('**/graphql', (route) =>
      /query OpenEpisodes/.test(route.request().postData() ?? '') ? route.abort() : route.continue(),
    );
    await page.reload();
    await page.getByText('Sessions of members').click();
    const line = page.getByRole('row').filter({ hasText: 'ada-of-the-console' }).last();
    await line.getByRole('button', { name: 'End' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await guest.page.getByRole('link', { name: 'Devices' }).click();
    await guest.page.getByRole('alert').getByText('no longer valid').waitFor();
    await guest.page.getByRole('link', { name: 'Sign in with Test' }).click();
    await guest.page.getByRole('heading', { name: 'Devices' }).waitFor();
    await guest.page.locator('summary', { hasText: 'Account:' }).click();
    await guest.page.getByRole('button', { name: 'Sign out' }).click();
    await guest.page.getByText('Use a token').click();
    await guest.page.getByLabel('Token').waitFor();
    expect(faults).toEqual([]);
  });

  it('switches to another organization, and says when it cannot switch or sign out', async () => {
    const [first, second] = [await world.organization(), await world.organization()];
    const member = await world.member(first, Role.member);
    await second.put(`/organizations/${second.id}/members/${member.id}`, {});
    const { token } = await createSignInLink(world.pool, member.id, new Date());
    const { page, faults } = await browser.open(`${world.url}/auth/link?token=${token}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('summary', { hasText: 'Account:' }).click();
    await page.route('**/auth/*', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are still signed in').waitFor();
    await page.getByRole('combobox', { name: 'Organization' }).selectOption(second.id);
    await page.getByText('The service cannot be reached.').waitFor();
    await page.unroute('**/auth/*');
    await page.getByRole('combobox', { name: 'Organization' }).selectOption(second.id);
    const names = await second.graph('{ account { username } }');
    const name = names.body.data!['account'].username as string;
    await page.locator('.brand').getByText(name).waitFor();
    expect(page.url()).toBe(`${world.url}/console/`);
    expect(faults).toEqual([]);
  });
});
