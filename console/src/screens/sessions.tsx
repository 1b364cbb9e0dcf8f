import { MySessionsDocument, RevokeMySessionsDocument, type SessionLineFragment } from '../api/documents.js';
import { ask } from '../api/graph.js';
import { account, organizationId, person } from '../api/session.js';
import { useQuery } from '../api/use-query.js';
import { useAddress } from '../browser/address.js';
import { Action } from '../components/action.js';
import { Ago } from '../components/ago.js';
import { Page } from '../components/page.js';
import { changeSession } from '../components/person-box.js';
import { Empty, Loading } from '../components/state.js';
import { type Column, Pager, Table } from '../components/table.js';
import { formatTime, secondsOf } from '../format/time.js';

const limit = 25;

/** Columns that say where a session is and when it was used. */
export const sessionColumns: readonly Column<SessionLineFragment>[] = [
  {
    title: 'Browser',
    cell: ({ userAgent, current }) => (
      <>
        {browserOf(userAgent)}
        {current && <strong> (this one)</strong>}
      </>
    ),
  },
  { title: 'Address', cell: ({ address }) => address },
  { title: 'Signed in', sort: 'createdAt', cell: ({ createdAt }) => formatTime(secondsOf(createdAt)) },
  {
    title: 'Last used',
    sort: 'lastUsedAt',
    cell: ({ lastUsedAt, current }) => (current ? 'now' : <Ago at={secondsOf(lastUsedAt)} />),
  },
];

/** Reads the browser and the system out of the name that a browser gives itself. */
function browserOf(userAgent: string | null): string {
  const found = (names: readonly [string, RegExp][]) => names.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0];
  const browser = found([
    ['Edge', /Edg/],
    ['Firefox', /Firefox/],
    ['Chrome', /Chrome/],
    ['Safari', /Safari/],
  ]);
  const system = found([
    ['Android', /Android/],
    ['iOS', /iPhone|iPad/],
    ['Windows', /Windows/],
    ['macOS', /Mac OS/],
    ['Linux', /Linux/],
  ]);
  return browser && system ? `${browser} on ${system}` : (userAgent?.slice(0, 60) ?? 'unknown');
}

/** The sessions of the person who is signed in. */
export function SessionsScreen() {
  const address = useAddress();
  const sessions = useQuery(MySessionsDocument, {
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || '-lastUsedAt',
  });
  const revoke = (sessionIds: string[]) => async () => {
    await ask(RevokeMySessionsDocument, { sessionIds });
    sessions.reload();
  };
  return (
    <Page title="Your sessions" actions={person.value && <Leave />}>
      <Loading of={sessions}>
        {({ mySessions: { items, totalCount } }) =>
          totalCount === 0 ? (
            <Empty title="No session">
              <p>You are signed in with a token. Sessions begin when people sign in by a provider or a link.</p>
            </Empty>
          ) : (
            <>
              <Table
                label="Sessions"
                columns={[
                  ...sessionColumns,
                  {
                    title: 'Change',
                    cell: (session) => (
                      <Action label="End" title="End this session" danger submit={revoke([session.id])}>
                        <p>The browser is signed out{session.current && ': it is the one that you use now'}.</p>
                      </Action>
                    ),
                  },
                ]}
                rows={items}
                address={address}
                busy={sessions.loading}
              />
              <Pager address={address} limit={limit} total={totalCount} />
            </>
          )
        }
      </Loading>
    </Page>
  );
}

const Leave = () => (
  <Action
    label="Leave the organization"
    action="Leave"
    danger
    submit={async () => {
      await changeSession(`leave?organizationId=${organizationId.value}`);
      location.assign('/console/');
    }}
  >
    <p>
      You are no longer a member of {account.value?.name ?? account.value?.username}: your tokens there end, and only an
      owner can invite you again.
    </p>
  </Action>
);
