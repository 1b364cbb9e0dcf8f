import { useState } from 'preact/hooks';
import {
  ConfirmNetworkServerDocument,
  CreateNetworkServerDocument,
  DeleteNetworkServerDocument,
  type NetworkServerKind,
  type NetworkServerLineFragment,
  NetworkServersDocument,
  TestNetworkServerDocument,
  UpdateNetworkServerDocument,
} from '../api/documents.js';
import { ask, refusalOf } from '../api/graph.js';
import { isOwner, mayOwn, organizationId } from '../api/session.js';
import { useQuery } from '../api/use-query.js';
import { useAddress } from '../browser/address.js';
import { textOf } from '../browser/form.js';
import { Action } from '../components/action.js';
import { Badge } from '../components/badge.js';
import { Field } from '../components/dialog.js';
import { Page } from '../components/page.js';
import { Empty, Loading } from '../components/state.js';
import { type Column, Pager, Table } from '../components/table.js';

/** Names of the kinds. */
const kinds: Readonly<Record<NetworkServerKind, string>> = {
  THE_THINGS_STACK: 'The Things Stack',
  CHIRPSTACK: 'ChirpStack',
};

const limit = 25;

/** The network servers that take commands for devices. Only owners see them. */
export function NetworkServersScreen() {
  return isOwner.value ? (
    <NetworkServers />
  ) : (
    <Page title="Network servers">
      <Empty title="Only owners of the organization see its network servers">
        <p>Ask an owner if commands for your devices do not arrive.</p>
      </Empty>
    </Page>
  );
}

function NetworkServers() {
  const address = useAddress();
  const servers = useQuery(NetworkServersDocument, {
    organizationId: organizationId.value,
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || 'name',
  });
  const create = async (form: FormData) => {
    const kind = textOf(form, 'kind') as NetworkServerKind;
    const apiKey = textOf(form, 'apiKey');
    await ask(CreateNetworkServerDocument, { organizationId: organizationId.value, kind, apiKey, ...valuesOf(form) });
    servers.reload();
  };
  return (
    <Page
      title="Network servers"
      actions={
        mayOwn.value && (
          <Action
            label="Add a network server"
            action="Add"
            primary
            done="The network server was added."
            submit={create}
          >
            <Field label="Kind">
              <select name="kind">
                {Object.entries(kinds).map(([kind, title]) => (
                  <option key={kind} value={kind}>
                    {title}
                  </option>
                ))}
              </select>
            </Field>
            <Values />
          </Action>
        )
      }
    >
      <Loading of={servers}>
        {({ networkServers: { items, totalCount } }) =>
          totalCount === 0 ? (
            <Empty title="No network server yet">
              <p>
                A network server takes commands for devices that send by LoRaWAN: The Things Stack or ChirpStack.
                Devices that are connected by MQTT or HTTP need none.
              </p>
            </Empty>
          ) : (
            <>
              <Table
                label="Network servers"
                columns={columnsOf(servers.reload)}
                rows={items}
                address={address}
                busy={servers.loading}
              />
              <Pager address={address} limit={limit} total={totalCount} />
            </>
          )
        }
      </Loading>
    </Page>
  );
}

const valuesOf = (form: FormData) => ({
  name: textOf(form, 'name'),
  address: textOf(form, 'address'),
  application: textOf(form, 'application'),
});

/** The fields of a network server. The key of one that is there already stays unless another is given. */
const Values = ({ of }: { of?: NetworkServerLineFragment }) => (
  <>
    <Field label="Name">
      <input name="name" required maxLength={200} defaultValue={of?.name} />
    </Field>
    <Field label="Address" hint="Of its API, without /api. For ChirpStack, that of its REST API.">
      <input name="address" type="url" required spellcheck={false} defaultValue={of?.address} />
    </Field>
    <Field label="Application" hint="Its identifier at the network server.">
      <input name="application" required maxLength={100} spellcheck={false} defaultValue={of?.application} />
    </Field>
    <Field
      label="API key"
      hint={
        of === undefined
          ? 'It must have the right to send downlinks. It is never shown again.'
          : 'Empty: the key stays. With another address it must be given again.'
      }
    >
      <input name="apiKey" type="password" required={of === undefined} autocomplete="off" />
    </Field>
  </>
);

const columnsOf = (reload: () => void): readonly Column<NetworkServerLineFragment>[] => [
  { title: 'Name', sort: 'name', cell: ({ name }) => <span class="name">{name}</span> },
  { title: 'Kind', cell: ({ kind }) => kinds[kind] },
  { title: 'Address', cell: ({ address }) => <code>{address}</code> },
  { title: 'Application', cell: ({ application }) => <code>{application}</code> },
  {
    title: 'State',
    cell: ({ proposed }) =>
      proposed ? <Badge tone="warn">waits for a confirmation</Badge> : <Badge tone="good">takes commands</Badge>,
  },
  ...(mayOwn.value
    ? [
        {
          title: 'Change',
          cell: (server: NetworkServerLineFragment) => <Changes of={server} reload={reload} />,
        },
      ]
    : []),
];

function Changes({ of: server, reload }: { of: NetworkServerLineFragment; reload: () => void }) {
  const names = { organizationId: organizationId.value, networkServerId: server.id };
  const change = async (form: FormData) => {
    const apiKey = textOf(form, 'apiKey') || null;
    await ask(UpdateNetworkServerDocument, { ...names, apiKey, ...valuesOf(form) });
    reload();
  };
  const confirm = async () => {
    await ask(ConfirmNetworkServerDocument, names);
    reload();
  };
  const remove = async () => {
    await ask(DeleteNetworkServerDocument, names);
    reload();
  };
  return (
    <div class="actions">
      {server.proposed && (
        <Action label="Confirm" title={`Confirm ${server.name}`} action="Confirm" primary submit={confirm}>
          <p>
            Uplinks named this server. Whoever may post uplinks could have named it, so check its address:{' '}
            <code>{server.address}</code>. Commands for the devices of {server.application} then go there.
          </p>
        </Action>
      )}
      <Test of={server} />
      <Action
        label="Edit"
        title={`Edit ${server.name}`}
        action="Save"
        done="The network server was saved."
        submit={change}
      >
        <Values of={server} />
      </Action>
      <Action label="Delete" title={`Delete ${server.name}`} danger submit={remove}>
        <p>Commands for its devices wait until they expire, or until there is a network server for them again.</p>
      </Action>
    </div>
  );
}

/** Asks a network server whether it would take commands, and shows what it answers. */
function Test({ of: { id, name } }: { of: NetworkServerLineFragment }) {
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState<{ ok: boolean; message: string } | undefined>();
  const test = async () => {
    setBusy(true);
    const names = { organizationId: organizationId.value, networkServerId: id };
    setTold(
      await ask(TestNetworkServerDocument, names).then(
        ({ testNetworkServer }) => testNetworkServer,
        (cause: unknown) => ({ ok: false, message: refusalOf(cause).message }),
      ),
    );
    setBusy(false);
  };
  return (
    <>
      <button type="button" aria-label={`Test ${name}`} disabled={isBusy} onClick={() => void test()}>
        Test
      </button>
      {told !== undefined && (
        <p role="status" class="sentence">
          <Badge tone={told.ok ? 'good' : 'bad'}>{told.ok ? 'works' : 'fails'}</Badge> {told.message}
        </p>
      )}
    </>
  );
}
