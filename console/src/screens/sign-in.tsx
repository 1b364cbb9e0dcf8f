import { textOf } from '../form.js';
import { ended, signIn } from '../session.js';

/** Asks for an API token. */
export function SignIn() {
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = textOf(form, 'token');
    if (text !== '') signIn(text, form.get('stay') !== null);
  };
  return (
    <main id="main" class="sign-in">
      <h1>Device Data Platform</h1>
      {ended.value !== undefined && (
        <p class="failure" role="alert">
          {ended.value}
        </p>
      )}
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
    </main>
  );
}
