module.exports = { testEnvironment: 'node', cache: false };
