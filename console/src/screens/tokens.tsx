import { useState } from 'preact/hooks';
import {
  CreateTokenDocument,
  RevokeTokenDocument,
  type TokenScope,
  TokensDocument,
  type TokensQuery,
} from '../api/documents.js';
import { ask } from '../api/graph.js';
import { mayOwn, organizationId } from '../api/session.js';
import { useQuery } from '../api/use-query.js';
import { useAddress } from '../browser/address.js';
import { textOf } from '../browser/form.js';
import { Action } from '../components/action.js';
import { Field } from '../components/dialog.js';
import { useListView } from '../components/list-view.js';
import { Page } from '../components/page.js';
import { Loading } from '../components/state.js';
import { type Column, Pager, Table } from '../components/table.js';
import { ExpiryField, expiryOf, lifeColumns, MadeToken, RevokeToken } from '../components/token.js';
import { callCommand, postCommand } from '../format/curl.js';

type Token = NonNullable<TokensQuery['apiTokens']>['items'][number];

/** Scopes of a token, in words. */
const scopes: Readonly<Record<TokenScope, string>> = {
  read: 'read',
  ingest: 'post records only',
  full: 'read and change everything',
};

const limit = 25;

const columnsOf = (reload: () => void): readonly Column<Token>[] => [
  { title: 'Name', sort: 'name', cell: ({ name }) => name },
  { title: 'Begins with', cell: ({ prefix }) => <code>{prefix}</code> },
  { title: 'May', cell: ({ scope }) => scopes[scope] },
  { title: 'Acts as', cell: ({ user }) => user?.username ?? 'the organization' },
  ...lifeColumns,
  ...(mayOwn.value ? [{ title: 'Change', cell: (token: Token) => revokeOf(token, reload) }] : []),
];

const revokeOf = (token: Token, reload: () => void) => {
  const revoke = async () => {
    await ask(RevokeTokenDocument, { organizationId: organizationId.value, tokenId: token.id });
    reload();
  };
  return <RevokeToken token={token} revoke={revoke} />;
};

/** Returns commands for a new token: what its scope is made for. */
const commandsOf = ({ token, scope }: { token: string; scope: TokenScope }): Record<string, string> =>
  scope === 'ingest'
    ? {
        'Post a record with it, of a device by its serial': postCommand(
          'records',
          { serial: 'a0-01', data: { temperature: 21.5 } },
          token,
        ),
      }
    : { 'List the devices with it': callCommand(`organizations/${organizationId.value}/devices`, { token }) };

/** The organization's tokens. A new token is shown once. */
export function TokensScreen() {
  const address = useAddress();
  const [made, setMade] = useState<{ token: string; scope: TokenScope } | undefined>();
  const tokens = useQuery(TokensDocument, {
    organizationId: organizationId.value,
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || '-createdAt',
  });
  const make = async (form: FormData) => {
    const scope = textOf(form, 'scope') as TokenScope;
    const { createApiToken } = await ask(CreateTokenDocument, {
      organizationId: organizationId.value,
      name: textOf(form, 'name') || null,
      scope,
      expiresAt: expiryOf(form),
    });
    setMade({ token: createApiToken.token, scope });
    tokens.reload();
  };
  const view = useListView('tokens', columnsOf(tokens.reload));
  return (
    <Page
      title="Tokens"
      actions={
        mayOwn.value && (
          <Action label="Create a token" action="Create" primary submit={make}>
            <Field label="Name" hint="Purpose of the token.">
              <input name="name" maxLength={200} />
            </Field>
            <Field label="Scope" hint="Rights of the token.">
              <select name="scope">
                {Object.entries(scopes).map(([scope, words]) => (
                  <option key={scope} value={scope}>
                    {words}
                  </option>
                ))}
              </select>
            </Field>
            <ExpiryField />
          </Action>
        )
      }
    >
      {made !== undefined && <MadeToken token={made.token} commands={commandsOf(made)} />}
      <div class="filters">{view.menus}</div>
      <Loading of={tokens}>
        {({ apiTokens: { items, totalCount } }) => (
          <>
            <Table label="Tokens" columns={view.columns} rows={items} address={address} busy={tokens.loading} />
            <Pager address={address} limit={limit} total={totalCount} />
          </>
        )}
      </Loading>
    </Page>
  );
}
