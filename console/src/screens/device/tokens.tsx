import { useState } from 'preact/hooks';
import { CreateDeviceTokenDocument, RevokeDeviceTokenDocument } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { mayOwn, organizationId } from '../../api/session.js';
import { useAddress } from '../../browser/address.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { Section } from '../../components/page.js';
import { Empty } from '../../components/state.js';
import { type Column, Table } from '../../components/table.js';
import { ExpiryField, expiryOf, lifeColumns, MadeToken, RevokeToken, type TokenLine } from '../../components/token.js';
import { postRecordCommand, publishCommand } from '../../format/curl.js';

interface DeviceTokens {
  deviceId: string;
  /** Data of an example record. */
  example: object;
  tokens: readonly TokenLine[];
  reload: () => void;
}

/** The tokens of a device, which can only post its records. */
export function Tokens({ deviceId, example, tokens, reload }: DeviceTokens) {
  const address = useAddress();
  const [made, setMade] = useState<string | undefined>();
  const device = { organizationId: organizationId.value, deviceId };
  const make = async (form: FormData) => {
    const { createDeviceToken } = await ask(CreateDeviceTokenDocument, {
      ...device,
      name: textOf(form, 'name') || null,
      expiresAt: expiryOf(form),
    });
    setMade(createDeviceToken.token);
    reload();
  };
  const revokeOf = (token: TokenLine) => async () => {
    await ask(RevokeDeviceTokenDocument, { ...device, tokenId: token.id });
    reload();
  };
  const columns: Column<TokenLine>[] = [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Begins with', cell: ({ prefix }) => <code>{prefix}</code> },
    ...lifeColumns.map(({ sort: _sort, ...column }) => column),
    ...(mayOwn.value
      ? [{ title: 'Change', cell: (token: TokenLine) => <RevokeToken token={token} revoke={revokeOf(token)} /> }]
      : []),
  ];
  return (
    <Section
      title="Tokens"
      actions={
        mayOwn.value && (
          <Action label="Create a token" action="Create" submit={make}>
            <Field label="Name" hint="Purpose of the token.">
              <input name="name" maxLength={200} />
            </Field>
            <ExpiryField />
          </Action>
        )
      }
    >
      {made !== undefined && (
        <MadeToken
          token={made}
          commands={{
            'Post a record with it': postRecordCommand(deviceId, example, made),
            'Publish a record with it': publishCommand(example, made),
          }}
        />
      )}
      {tokens.length === 0 ? (
        <Empty title="No token of its own">
          <p>With one the device posts its own records, and whoever finds the token can do nothing else.</p>
        </Empty>
      ) : (
        <Table label="Tokens" columns={columns} rows={tokens} address={address} />
      )}
    </Section>
  );
}
