import { refusalIn, send } from '../api/graph.js';
import { person } from '../api/session.js';
import { toastError } from '../browser/toast.js';

/** Calls a path that changes the session of the cookie. */
export async function changeSession(path: string): Promise<void> {
  const response = await send(`/auth/${path}`, { method: 'POST' });
  if (!response.ok) throw await refusalIn(response);
}

/** Switches to another organization. The page loads again, so that no screen keeps data of the previous one. */
const choose = (id: string) =>
  changeSession(`organization?organizationId=${id}`).then(() => location.assign('/console/'), toastError);

/** Shows who is signed in, and the organizations to choose from. */
export const PersonBox = () => {
  const { name, username, avatarURL, organizationId, organizations } = person.value!;
  return (
    <>
      <a href="/console/sessions" class="person">
        <img src={avatarURL} alt="" width="24" height="24" /> {name ?? username}
      </a>
      {organizations.length > 1 && (
        <select
          aria-label="Organization"
          value={organizationId ?? ''}
          onChange={({ currentTarget: { value } }) => void choose(value)}
        >
          <OrganizationOptions />
        </select>
      )}
    </>
  );
};

const OrganizationOptions = () => (
  <>
    {person.value!.organizations.map(({ id, name, username }) => (
      <option key={id} value={id}>
        {name ?? username}
      </option>
    ))}
  </>
);

/** Asks a signed-in person to choose an organization, when the session has none. */
export const OrganizationChoice = () => {
  const { organizations } = person.value!;
  if (organizations.length === 0)
    return <p>You are signed in, and a member of no organization. Ask an owner to invite you.</p>;
  return (
    <>
      <p>Choose an organization:</p>
      {organizations.map(({ id, name, username }) => (
        <button key={id} type="button" onClick={() => void choose(id)}>
          {name ?? username}
        </button>
      ))}
    </>
  );
};
