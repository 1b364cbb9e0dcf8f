import { expect, it } from '@jest/globals';
import { greeting, welcome } from '#command/welcome.js';
import { useGuide } from './guide.js';

const guide = useGuide();

/** Returns the lines of the greeting that begin with `start`. */
const linesOf = (start: string): string[] =>
  welcome(guide.url, guide.first)
    .split('\n')
    .filter((line) => line.startsWith(start));

it('prints commands in the greeting that post a record and find it, with only the printed variables', async () => {
  for (const name of ['ORIGIN', 'TOKEN', 'ORGANIZATION', 'APPLICATION']) guide.variables.delete(name);
  const [variables] = linesOf('export ');
  const [post, search, add] = linesOf('curl ');
  await guide.shell(variables!);
  expect(JSON.parse(await guide.shell(post!))).toEqual({ accepted: 1, duplicates: 0, rejected: 0, results: [] });
  expect(JSON.parse(await guide.shell(search!))).toMatchObject({
    responses: [{ hits: { total: { value: 1 }, hits: [{ _source: { data: { temperature: 21.5 } } }] } }],
  });
  await guide.shell(add!);
  const members = 'curl -s -H "Authorization: Bearer $TOKEN" $ORIGIN/ddp/v1/organizations/$ORGANIZATION/members';
  expect(JSON.parse(await guide.shell(members))).toMatchObject([
    { username: 'demo-ada', role: 'owner' },
    { username: 'demo-grace', role: 'member' },
  ]);
});

it('prints commands for a token and a user in the greeting, and the console and a token on later starts', () => {
  const [token, user] = linesOf('npm run -s ddp -- ');
  expect(token).toBe(`npm run -s ddp -- token create --organization ${guide.first.id}`);
  expect(user).toContain('user create --username');
  const later = greeting(guide.url, { id: guide.first.id, username: 'demo' });
  expect(later).toContain(`${guide.url}/console/\n`);
  expect(later).toContain(`${token}   (demo)`);
  expect(greeting(guide.url, undefined)).toContain('organization create --username');
});

it.each(['console', 'GraphQL', 'REST'])('prints an address of %s that a browser can open', async (name) => {
  const [line] = linesOf(`  ${name} `);
  const response = await fetch(line!.trim().split(/\s+/)[1]!, { headers: { accept: 'text/html' } });
  expect({ status: response.status, type: response.headers.get('content-type') }).toMatchObject({
    status: 200,
    type: expect.stringContaining('text/html'),
  });
});

it('prints an address of the console with a token to sign in', () => {
  const [line] = linesOf('  console ');
  expect(new URL(line!.trim().split(/\s+/)[1]!).hash).toBe(`#token=${guide.first.token}`);
});
