import './browser/language.js';
import { render } from 'preact';
import { findPerson, isWall, joinTabs, takeTokenFromAddress, token } from './api/session.js';
import { App, preloadScreen } from './app.js';

takeTokenFromAddress();
// When a link is opened in a tab that already shows the console, only the fragment changes.
addEventListener('hashchange', takeTokenFromAddress);
joinTabs();
preloadScreen();
if (token.value === undefined && !isWall) void findPerson();
render(<App />, document.getElementById('console')!);
