// Package lookup looks up what events leave out: who the bot is ([Identity]), people ([People]),
// both cached, and the messages and files of a thread ([Messages]).
package lookup
