package bottest

// AProgram is one as it is stored, that writes a greeting.
const AProgram = `{"refusal":"","about":"a greeting","settings":[{"name":"greeting","type":"text","value":"Hello","about":"what is said first"}],` +
	`"checks":[{"measure":"files","value":"1"}],"program":"open(OUT + '/greeting.txt', 'w').write(SETTINGS['greeting'] + ', you')\n"}`
