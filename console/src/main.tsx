import './browser/language.js';
import { render } from 'preact';
import { findPerson, isWall, joinTabs, takeTokenFromAddress, token } from './api/session.js';
import { App, preloadScreen } from './app.js';

takeTokenFromAddress();
// A link that is opened in a tab with the console changes the fragment alone.
addEventListener('hashchange', takeTokenFromAddress);
joinTabs();
preloadScreen();
if (token.value === undefined && !isWall) void findPerson();
render(<App />, document.getElementById('console')!);
