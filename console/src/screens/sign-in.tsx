import { ended, person, providers, signIn, signOut } from '../api/session.js';
import { textOf } from '../browser/form.js';
import { Icon } from '../components/icon.js';
import { OrganizationChoice } from '../components/person-box.js';

/** Asks for a sign-in by a provider or for an API token, or for an organization. */
export const SignIn = () => (
  <main id="main" class="sign-in">
    <span class="mark">
      <Icon name="mark" />
    </span>
    <h1>Device Data Platform</h1>
    {ended.value !== undefined && (
      <p class="failure" role="alert">
        {ended.value}
      </p>
    )}
    {person.value == null ? (
      <Ways />
    ) : (
      <>
        <OrganizationChoice />
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </>
    )}
  </main>
);

const Ways = () => {
  const back = encodeURIComponent(location.pathname + location.search);
  if (providers.value.length === 0) return <TokenForm />;
  return (
    <>
      {providers.value.map(({ number, name }) => (
        <a key={number} class="primary button" href={`/auth/start?provider=${number}&returnTo=${back}`}>
          Sign in with {name}
        </a>
      ))}
      <details>
        <summary>Use a token</summary>
        <TokenForm />
      </details>
    </>
  );
};

const TokenForm = () => {
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = textOf(form, 'token');
    if (text !== '') signIn(text, form.get('stay') !== null);
  };
  return (
    <form onSubmit={onSubmit}>
      <label class="field">
        <span class="field-label">Token</span>
        <input name="token" type="password" autocomplete="off" spellcheck={false} required placeholder="ddp_…" />
        <span class="quiet hint">
          The first start of the service prints one. Make more with{' '}
          <code>npm run -s ddp -- token create --organization ID</code>.
        </span>
      </label>
      <label class="check">
        <input name="stay" type="checkbox" /> Stay signed in on this machine
      </label>
      <button type="submit" class="primary">
        Sign in
      </button>
    </form>
  );
};
