module.exports = [
  {
    files: ['**/*.js'],
    languageOptions: { sourceType: 'commonjs' },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    rules: {
      'no-unused-vars': 'warn',
      'no-shadow': 'warn',
      'prefer-const': 'warn',
      indent: ['warn', 4],
      complexity: 'warn',
    },
  },
];
