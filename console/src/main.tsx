import { render } from 'preact';
import { findPerson, takeTokenFromAddress, token } from './api/session.js';
import { App } from './app.js';

takeTokenFromAddress();
if (token.value === undefined) void findPerson();
render(<App />, document.getElementById('console')!);
