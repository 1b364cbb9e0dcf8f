import { signOut, token } from '../session.js';
import { chooseTheme, theme } from '../theme.js';
import { PersonBox } from './person-box.js';

/** The end of the navigation: who is signed in, the theme, and the way out. */
export const SideFoot = () => (
  <div class="side-foot">
    {token.value === undefined && <PersonBox />}
    <select aria-label="Theme" value={theme.value} onChange={({ currentTarget: { value } }) => chooseTheme(value)}>
      <option value="">System theme</option>
      <option value="light">Light theme</option>
      <option value="dark">Dark theme</option>
    </select>
    <button type="button" onClick={() => void signOut()}>
      Sign out
    </button>
  </div>
);
