import { useState } from 'preact/hooks';
import {
  CreateDashboardLinkDocument,
  DashboardLinksDocument,
  type DashboardLinksQuery,
  DeleteDashboardLinkDocument,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Ago } from '../../components/ago.js';
import { Copyable } from '../../components/copy.js';
import { Field } from '../../components/dialog.js';
import { Empty, Loading } from '../../components/state.js';
import { TableFrame } from '../../components/table-frame.js';
import { ExpiryField, expiryOf } from '../../components/token.js';
import { formatTime, secondsOf } from '../../format/time.js';
import { Modal } from './edit/modal.js';

type Link = NonNullable<NonNullable<DashboardLinksQuery['application']>['dashboardLinks']>[number];

/** The links by which a dashboard is shown on walls. Owners make and end them. */
export function Links({ applicationId, close }: { applicationId: string; close: () => void }) {
  const names = { organizationId: organizationId.value, applicationId };
  const loaded = useQuery(DashboardLinksDocument, names);
  const [made, setMade] = useState<string | undefined>();
  return (
    <Modal title="Links for wall displays" wide close={close}>
      <p class="quiet">
        Whoever has a link sees this dashboard and its devices, without signing in, until the link ends. It changes
        nothing and shows nothing else.
      </p>
      {made !== undefined && (
        <div role="status">
          <p>Open this address on the wall display. It is shown only once:</p>
          <Copyable label="The new link" text={made} />
        </div>
      )}
      <Loading of={loaded} rows={3}>
        {({ application: { dashboardLinks } }) =>
          dashboardLinks === null || dashboardLinks.length === 0 ? (
            <Empty title="No link" />
          ) : (
            <Table
              links={dashboardLinks}
              end={(linkId) => ask(DeleteDashboardLinkDocument, { ...names, linkId }).then(loaded.reload)}
            />
          )
        }
      </Loading>
      <div class="actions end">
        <Action
          label="Create a link"
          action="Create"
          primary
          submit={async (form) => {
            const variables = { ...names, name: textOf(form, 'name'), expiresAt: expiryOf(form) };
            const { createDashboardLink } = await ask(CreateDashboardLinkDocument, variables);
            setMade(createDashboardLink.url);
            loaded.reload();
          }}
        >
          <Field label="Name" hint="Place of the wall.">
            <input name="name" required maxLength={200} />
          </Field>
          <ExpiryField />
        </Action>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Modal>
  );
}

const Table = ({ links, end }: { links: readonly Link[]; end: (id: string) => Promise<unknown> }) => (
  <TableFrame label="Links">
    <table aria-label="Links">
      <thead>
        <tr>
          <th>Name</th>
          <th>Used</th>
          <th>Ends</th>
          <th>End it</th>
        </tr>
      </thead>
      <tbody>
        {links.map(({ id, name, lastUsedAt, expiresAt }) => (
          <tr key={id}>
            <td>{name}</td>
            <td>{lastUsedAt === null ? 'never' : <Ago at={secondsOf(lastUsedAt)} />}</td>
            <td>{expiresAt === null ? 'never' : formatTime(secondsOf(expiresAt))}</td>
            <td>
              <Action
                label="End"
                title={`End the link ${name}`}
                danger
                done="The link was ended."
                submit={() => end(id)}
              >
                <p>The wall that shows it goes blank within a second, and the link never works again.</p>
              </Action>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableFrame>
);
