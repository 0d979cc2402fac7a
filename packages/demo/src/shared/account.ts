/** The account of the service, and what its users know. */
export const DEMO_USER = 'demo';
export const DEMO_PASSWORD = 'correct horse battery staple';
