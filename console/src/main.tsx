import './browser/language.js';
import { render } from 'preact';
import { findPerson, isWall, joinTabs, takeTokenFromAddress, token } from './api/session.js';
import { App, preloadScreen } from './app.js';
import { restoreScroll } from './browser/scroll.js';

takeTokenFromAddress();
// When a link is opened in a tab that already shows the console, only the fragment changes.
addEventListener('hashchange', takeTokenFromAddress);
joinTabs();
preloadScreen();
restoreScroll();
if (token.value === undefined && !isWall) void findPerson();
const root = document.getElementById('console')!;
// The first render of a wall waits for its script, and Preact then keeps what the page contains below the dashboard.
if (isWall) root.replaceChildren();
render(<App />, root);
