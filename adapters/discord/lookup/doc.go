// Package lookup looks up what events leave out: who the bot is ([Identity]), servers and channels
// ([Places]), people ([People]), and messages and their threads ([Messages]).
package lookup
